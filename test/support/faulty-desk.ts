// A gateway with the real authorization server and a scripted service: for what only a broken backend can show.
import { GATEWAY, GATEWAY_SECRET, PASSWORD, SERVICE, startIdentity } from './identity.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGateway, type RunningGateway } from './gateway.ts'
import { json, startScriptedBackend, TICKET_DETAIL, type ScriptedBackend } from './scripted-backend.ts'
import { signIn } from './sign-in.ts'

/** As many requests as the breaker looks back on. */
const BREAKER_SAMPLE = 40

export interface FaultyDesk {
  readonly gateway: RunningGateway
  readonly backend: ScriptedBackend
  readonly tokens: { readonly alice: string; readonly carol: string; readonly dave: string }
  /** Lets enough calls succeed that the breaker has forgotten earlier faults, and what was asked is forgotten too. */
  heal(): Promise<void>
  close(): Promise<void>
}

export async function startFaultyDesk(variables: Record<string, string> = {}): Promise<FaultyDesk> {
  const identity = await startIdentity()
  const backend = await startScriptedBackend()
  const gateway = await startGateway({
    ISSUER: identity.issuer,
    CLIENT_SECRET: GATEWAY_SECRET,
    BACKEND_URL: backend.url,
    BACKEND_AUDIENCE: SERVICE,
    ...variables,
  })
  const tokenFor = async (person: string) =>
    (await signIn({ issuer: identity.issuer, resource: GATEWAY, person, password: PASSWORD })).accessToken
  const tokens = {
    alice: await tokenFor('alice'),
    carol: await tokenFor('carol'),
    dave: await tokenFor('dave'),
  }
  return {
    gateway,
    backend,
    tokens,
    async heal() {
      backend.answer((_asked, res) => {
        json(res, 200, TICKET_DETAIL)
      })
      const read = () => gateway.call('ticket_get', { id: 'T-42' }, tokens.alice)
      // Few at once: on a busy machine many would end at the short deadlines that tests have.
      for (let healthy = 0; healthy < BREAKER_SAMPLE;) {
        const results = await Promise.all([read(), read(), read(), read()])
        const failed = results.some(({ isError }) => isError)
        healthy = failed ? 0 : healthy + results.length
        if (failed) await sleep(100)
      }
      backend.asked.length = 0
    },
    async close() {
      await gateway.close()
      await backend.close()
      await identity.close()
    },
  }
}
