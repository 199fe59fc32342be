// Which gateway is examined: the one of the environment, or where that names none, the local desk.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withSecretFiles, type Variables } from '../../src/secret-files.ts'
import { localEnvironment } from '../local-environment.ts'
import { signIn } from '../sign-in.ts'

const NAMES_A_DEPLOYMENT = ['ISSUER', 'CLIENT_SECRET', 'CLIENT_SECRET_FILE', 'BACKEND_URL', 'PUBLIC_URL']

export interface ExaminedEnvironment {
  /** In words. */
  readonly from: string
  readonly variables: Variables
  readonly personToken: (() => Promise<string>) | undefined
}

/** The local desk is not made when there is none: its variables are then missing, and the configuration says so. */
export async function examinedEnvironment(env: Variables, folder: string): Promise<ExaminedEnvironment> {
  const isLocal = !NAMES_A_DEPLOYMENT.some((name) => env[name])
  if (!isLocal || !existsSync(join(folder, 'environment.json'))) {
    const token = withSecretFiles(env, ['ACCESS_TOKEN']).variables['ACCESS_TOKEN']
    return {
      from: isLocal ? `the environment (there is no local desk in ${folder} either)` : 'the environment',
      variables: env,
      personToken: token === undefined ? undefined : () => Promise.resolve(token),
    }
  }
  const { gateway, issuer, mcpUrl, password } = await localEnvironment(folder, env)
  return {
    from: `the local desk in ${folder}`,
    variables: { ...env, ...gateway },
    personToken: async () =>
      (await signIn({ issuer, resource: mcpUrl, person: 'alice', password })).accessToken,
  }
}
