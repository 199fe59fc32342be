// What each OAuth client may do, from a file of the operator's. Re-read as a whole or not at all.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './config.ts'
import type { Limits } from './gateway/limits/rate-limits.ts'

const perMinute = z.number().int().min(0).max(1_000_000)
const LimitClass = z.strictObject({ reads: perMinute, writes: perMinute, exports: perMinute })
const Rule = z.strictObject({
  /** Names without the namespace; left out: all of them. */
  tools: z.array(z.string()).optional(),
  /** Name of a class in `limits`; left out: what the configuration says. */
  limits: z.string().optional(),
})
const Policy = z.strictObject({
  limits: z.record(z.string().min(1), LimitClass).default({}),
  default: Rule.default({}),
  clients: z.record(z.string().min(1), Rule).default({}),
})
type Policy = z.infer<typeof Policy>

export interface ListedInPolicy {
  readonly clients: readonly string[]
  readonly limitClasses: readonly string[]
}

export interface ClientPolicy {
  /** Whether the client may call the tool, by the tool's name without the namespace. */
  readonly mayUse: (clientId: string, tool: string) => boolean
  /** Name of the class of limits that the client has; undefined where the configuration's own hold. */
  readonly limitClassOf: (clientId: string) => string | undefined
  /** Undefined where the configuration's own limits hold. */
  readonly limitsOf: (clientId: string) => Limits | undefined
  /** Reads the file again. Throws a ConfigError and keeps the policy in force when it has a fault. */
  readonly reload: () => void
}

/** Without a file every client may use every tool. `onRead` is told which clients are listed. Throws a ConfigError that lists every fault of the file. */
export function createClientPolicy(
  path: string | undefined,
  tools: readonly string[],
  onRead: (names: ListedInPolicy) => void = () => undefined,
): ClientPolicy {
  const read = () => {
    const next = path === undefined ? Policy.parse({}) : readPolicy(path, tools)
    onRead({ clients: Object.keys(next.clients), limitClasses: Object.keys(next.limits) })
    return next
  }
  let policy = read()
  const ruleOf = (clientId: string) =>
    (Object.hasOwn(policy.clients, clientId) ? policy.clients[clientId] : undefined) ?? policy.default
  return {
    mayUse: (clientId, tool) => ruleOf(clientId).tools?.includes(tool) ?? true,
    limitClassOf: (clientId) => ruleOf(clientId).limits,
    limitsOf(clientId) {
      const { limits } = ruleOf(clientId)
      return limits === undefined ? undefined : policy.limits[limits]
    },
    reload() {
      policy = read()
    },
  }
}

function readPolicy(path: string, tools: readonly string[]): Policy {
  const parsed = Policy.safeParse(readJson(path))
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path: place, message }) => `${place.join('.') || 'the file'}: ${message}`,
    )
    throw fault(path, faults)
  }
  const faults = unknownNames(parsed.data, tools)
  if (faults.length > 0) throw fault(path, faults)
  return parsed.data
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw fault(path, [
      error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read; name a readable file',
    ])
  }
}

function unknownNames({ limits, default: rest, clients }: Policy, tools: readonly string[]): string[] {
  const rules = [
    ['default', rest] as const,
    ...Object.entries(clients).map(([id, rule]) => [`clients.${id}`, rule] as const),
  ]
  return rules.flatMap(([place, rule]) => [
    ...(rule.tools ?? [])
      .filter((tool) => !tools.includes(tool))
      .map((tool) => `${place}.tools: there is no tool ${tool}; there are: ${tools.join(', ')}`),
    ...(rule.limits === undefined || Object.hasOwn(limits, rule.limits)
      ? []
      : [`${place}.limits: there is no class ${rule.limits}; define it under limits`]),
  ])
}

function fault(path: string, faults: readonly string[]): ConfigError {
  return new ConfigError(faults.map((text) => `  CLIENT_POLICY_FILE: ${path}: ${text}`).join('\n'))
}
