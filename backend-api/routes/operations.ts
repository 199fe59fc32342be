// What everybody may ask: is the service alive and ready, what is its contract, how does the desk work.
import type { RequestHandler } from 'express'
import type { Health } from '../../openapi/desk.gen.ts'
import { sendFault } from '../http/send-problem.ts'
import type { RouteDependencies } from './dependencies.ts'

const RETRY_AFTER_SECONDS = 5

export const healthRoute: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' } satisfies Health)
}

export function readinessRoute({ store, stopping, log }: RouteDependencies): RequestHandler {
  const unavailable = (detail: string) =>
    ({ kind: 'unavailable', detail, retryAfterSeconds: RETRY_AFTER_SECONDS }) as const
  return async (_request, response) => {
    response.set('Cache-Control', 'no-store')
    if (stopping.aborted) {
      sendFault(response, unavailable('The service is stopping. Ask another one, or try again later.'))
      return
    }
    try {
      await store.ping()
      response.json({ status: 'ok' } satisfies Health)
    } catch (error) {
      log.error({ err: error }, 'the store does not answer')
      sendFault(response, unavailable('The store does not answer. Try again later.'))
    }
  }
}

export function getContractRoute({ contractJson }: RouteDependencies): RequestHandler {
  return (_request, response) => {
    response.type('application/vnd.oai.openapi+json').send(contractJson)
  }
}

export function getPolicyRoute({ policy }: RouteDependencies): RequestHandler {
  return (_request, response) => {
    response.type('text/markdown').send(policy)
  }
}
