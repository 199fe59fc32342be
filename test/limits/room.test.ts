// A gateway whose room is taken says so at once: to the client that took it, and to everybody when all of it is gone.
import { expect, it } from 'vitest'
import { hang } from '../support/backend-faults.ts'
import { startFaultyDesk } from '../support/faulty-desk.ts'
import { errorOf, textOf, type CallResult } from '../support/gateway.ts'

/** One call that runs and sixteen that wait. */
const LANE = 17

it('calls beyond the room of a client, or of all, are refused at once', async () => {
  const desk = await startFaultyDesk({ MAX_CALLS_IN_FLIGHT: '2', MAX_CALLS_IN_FLIGHT_PER_CLIENT: '1' })
  const { gateway, backend, tokens } = desk
  backend.answer(hang)
  const held: Promise<unknown>[] = []
  const fill = async (token: string, calls: number) => {
    const refused: CallResult[] = []
    for (let call = 0; call < calls; call++)
      held.push(
        gateway.call('ticket_reopen', { id: 'T-42' }, token).then(
          (result) => refused.push(result),
          () => 'cut off below',
        ),
      )
    await expect.poll(() => refused.length, { timeout: 4_000 }).toBe(calls % LANE)
    return refused
  }

  const [busy] = (await fill(tokens.alice, LANE + 1)) as [CallResult]
  expect(errorOf(busy)).toMatchObject({ class: 'rate_limited', code: 'client_busy', retry_after_s: 1 })
  expect(textOf(busy)).toContain('[rate_limited] Too many calls.\nWait 1 second, then call again.')

  const [, overloaded] = (await fill(tokens.carol, LANE + 2)) as [CallResult, CallResult]
  expect(errorOf(overloaded)).toMatchObject({
    class: 'backend_unavailable',
    code: 'overloaded',
    retryable: true,
  })
  expect(textOf(overloaded)).toContain(
    '[backend_unavailable] The ticket service cannot be used at the moment.\nNothing was changed. Wait 1 second, then try again.',
  )
  gateway.gateway.server.closeAllConnections()
  await Promise.all(held)
  await desk.close()
})
