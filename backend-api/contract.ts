// The contract (openapi/desk.yaml) as the service uses it: which operation is where, who may call it, what it offers.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Event, Problem, operations } from '../openapi/desk.gen.ts'

export type OperationId = keyof operations

export interface Operation {
  readonly id: OperationId
  readonly method: 'get' | 'post'
  /** As Express writes it: `/tickets/:id`. */
  readonly path: string
  /** Below the service's root, as the contract writes it: `/v1/tickets/{id}`. */
  readonly route: string
  /** Undefined for a public operation. */
  readonly scopes: readonly string[] | undefined
  readonly takesBody: boolean
  /** Media types of its good answers. */
  readonly offers: readonly string[]
  /** Statuses of its good answers. */
  readonly successes: readonly string[]
}

export interface Contract {
  readonly file: string
  readonly version: string
  /** The whole document as JSON text. */
  readonly json: string
  readonly operations: readonly Operation[]
  readonly problemCodes: readonly Problem['code'][]
  readonly eventTypes: readonly Event['type'][]
}

const Security = z.array(z.record(z.string(), z.array(z.string())))
const OperationObject = z.object({
  operationId: z.string(),
  security: Security.optional(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.object({ content: z.record(z.string(), z.unknown()).optional() })),
})
const Enumeration = z.object({ enum: z.array(z.string()) })
const Document = z.object({
  info: z.object({ version: z.string() }),
  servers: z.tuple([z.object({ url: z.string() })]),
  security: Security,
  paths: z.record(
    z.string(),
    z.object({ get: OperationObject.optional(), post: OperationObject.optional() }),
  ),
  components: z.object({
    schemas: z.object({
      Problem: z.object({ properties: z.object({ code: Enumeration }) }),
      Event: z.object({ properties: z.object({ type: Enumeration }) }),
    }),
  }),
})

/** Fails when the document is not the shape that the service relies on. */
export function readContract(): Contract {
  const file = fileURLToPath(new URL('../openapi/desk.yaml', import.meta.url))
  const document: unknown = parse(readFileSync(file, 'utf8'))
  const { info, servers, paths, security, components } = Document.parse(document)
  const operationsOf = ([path, item]: [string, (typeof paths)[string]]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
      return {
        // The generated types come from the same document.
        id: operation.operationId as OperationId,
        method,
        path: path.replace(/\{(\w+)\}/g, ':$1'),
        route: servers[0].url + path,
        scopes: (operation.security ?? security)[0]?.['desk'],
        takesBody: operation.requestBody !== undefined,
        offers: successes.flatMap(([, { content = {} }]) => Object.keys(content)),
        successes: successes.map(([status]) => status),
      }
    })
  return {
    file,
    version: info.version,
    json: JSON.stringify(document),
    operations: Object.entries(paths).flatMap(operationsOf),
    // As above.
    problemCodes: components.schemas.Problem.properties.code.enum as Problem['code'][],
    eventTypes: components.schemas.Event.properties.type.enum as Event['type'][],
  }
}
