// Secrets as files, each where only the container that needs it will see it. Knows nothing of tickets.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localEnvironment } from './local-environment.ts'

/**
 * Writes the files (mode 0400) that docker-compose.yml names, into the folders `backend-api`, `gateway` and `grafana` of
 * `folder`. What was made once stays. Returns the password of the desk's people.
 */
export async function placeSecrets(folder: string): Promise<string> {
  const { service, gateway, password } = await localEnvironment(join(folder, 'backend-api'), {})
  const secrets = {
    'backend-api/CURSOR_SECRET': service['CURSOR_SECRET'],
    'backend-api/IDENTITY_KEYS': service['IDENTITY_KEYS'],
    'backend-api/IDENTITY_GATEWAY_SECRET': service['IDENTITY_GATEWAY_SECRET'],
    'backend-api/IDENTITY_PASSWORD': password,
    'gateway/CLIENT_SECRET': gateway['CLIENT_SECRET'],
  }
  for (const [name, secret = ''] of Object.entries(secrets)) await place(join(folder, name), secret)
  // Grafana takes it over when it starts for the first time, and never again.
  const ofGrafana = join(folder, 'grafana/ADMIN_PASSWORD')
  if (!existsSync(ofGrafana)) await place(ofGrafana, randomBytes(18).toString('base64url'))
  return password
}

/** Whole or not at all: a container that starts meanwhile must not read half a secret. */
async function place(path: string, secret: string): Promise<void> {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  await writeFile(draft, `${secret}\n`, { mode: 0o400, flag: 'wx' })
  await rename(draft, path)
}
