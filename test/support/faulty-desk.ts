// A gateway with the real authorization server and a scripted service: for what only a broken backend can show.
import { GATEWAY, GATEWAY_SECRET, PASSWORD, SERVICE, startIdentity } from './identity.ts'
import { startGateway, type RunningGateway } from './gateway.ts'
import { startScriptedBackend, type ScriptedBackend } from './scripted-backend.ts'
import { signIn } from './sign-in.ts'

export interface FaultyDesk {
  readonly gateway: RunningGateway
  readonly backend: ScriptedBackend
  readonly tokens: { readonly alice: string; readonly carol: string; readonly dave: string }
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
  return {
    gateway,
    backend,
    tokens: { alice: await tokenFor('alice'), carol: await tokenFor('carol'), dave: await tokenFor('dave') },
    async close() {
      await gateway.close()
      await backend.close()
      await identity.close()
    },
  }
}
