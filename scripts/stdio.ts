// `npm run -s stdio -- PERSON`: the gateway over stdio on the local desk, as one of its people (alice unless named).
// An operator's own environment (ACCESS_TOKEN and the gateway's variables) is used as it is.

import { LOCAL_FOLDER, localEnvironment } from './local-environment.ts'
import { signIn } from './sign-in.ts'

try {
  if (!process.env['ACCESS_TOKEN']) Object.assign(process.env, await asPerson(process.argv[2] ?? 'alice'))
  await import('../src/stdio.ts')
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function asPerson(person: string): Promise<Record<string, string>> {
  const { gateway, issuer, mcpUrl, password, portVariables } = await localEnvironment(
    LOCAL_FOLDER,
    process.env,
  )
  const signedIn = await signIn({ issuer, resource: mcpUrl, person, password }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `Cannot sign ${person} in at ${issuer} (${reason}). Does the desk run? ${portVariables}npm start`,
    )
  })
  const { accessToken, refreshToken = '' } = signedIn
  return {
    ...gateway,
    ACCESS_TOKEN: accessToken,
    REFRESH_TOKEN: refreshToken,
    REFRESH_CLIENT_ID: 'desk-local',
  }
}
