import type { RequestHandler } from 'express'
import type { People } from '../../openapi/desk.gen.ts'
import { callerOf } from '../http/locals.ts'
import { sendRefusal } from '../http/send-problem.ts'
import { permitStaff } from '../rules/permit.ts'
import type { RouteDependencies } from './dependencies.ts'

export function listPeopleRoute({ store }: RouteDependencies): RequestHandler {
  return async (_request, response) => {
    const permitted = permitStaff('list the people', callerOf(response))
    if (permitted.ok) response.json({ people: await store.listStaff() } satisfies People)
    else sendRefusal(response, permitted.refusal)
  }
}
