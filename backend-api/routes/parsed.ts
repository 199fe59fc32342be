// The parts of a request with the contract's types: the validator in front of every route makes these true.
import type { Request } from 'express'
import type { operations } from '../../openapi/desk.gen.ts'

type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>
type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Json } }
}
  ? Json
  : never

/** The query, converted and with its defaults. */
export function queryOf<Id extends keyof operations>(request: Request): Query<Id> {
  return request.query
}

/** The JSON body, with its defaults. */
export function bodyOf<Id extends keyof operations>(request: Request): Body<Id> {
  return request.body as Body<Id>
}

/** The ticket's id in the path. */
export function ticketIdOf(request: Request): string {
  return String(request.params['id'])
}
