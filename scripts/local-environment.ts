// The environment of a desk on this machine: fixed ports, and secrets that are made once and kept in .local/.

import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'

const SERVICE_PORT = 8081
const GATEWAY_PORT = 8080

const Secrets = z.strictObject({
  CURSOR_SECRET: z.string(),
  IDENTITY_KEYS: z.string(),
  IDENTITY_PASSWORD: z.string(),
  IDENTITY_GATEWAY_SECRET: z.string(),
})
/** Where the local desk lives, below the folder in which a command is run. */
export const LOCAL_FOLDER = '.local'

type Secrets = z.infer<typeof Secrets>

export interface LocalEnvironment {
  /** What the ticket service is started with. */
  readonly service: Readonly<Record<string, string>>
  /** What the gateway is started with. */
  readonly gateway: Readonly<Record<string, string>>
  readonly servicePort: number
  readonly gatewayPort: number
  /** What to write before a command that shall find the same ports; empty for the usual ones. */
  readonly portVariables: string
  readonly issuer: string
  /** The service's REST URL, which is also its resource identifier. */
  readonly serviceUrl: string
  /** The MCP endpoint. */
  readonly mcpUrl: string
  readonly databasePath: string
  /** The one password of all people. */
  readonly password: string
}

/**
 * Reads `folder/environment.json`, or makes it (mode 0600 in a folder of mode 0700). GATEWAY_PORT and SERVICE_PORT in
 * `variables` move the two processes. Throws when the file cannot be used.
 */
export async function localEnvironment(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<LocalEnvironment> {
  const { IDENTITY_PASSWORD: password, ...secrets } = await readOrMakeSecrets(folder)
  const servicePort = port(variables, 'SERVICE_PORT', SERVICE_PORT)
  const gatewayPort = port(variables, 'GATEWAY_PORT', GATEWAY_PORT)
  const moved = servicePort !== SERVICE_PORT || gatewayPort !== GATEWAY_PORT
  const issuer = `http://127.0.0.1:${servicePort}/identity`
  const serviceUrl = `http://127.0.0.1:${servicePort}/v1`
  const mcpUrl = `http://127.0.0.1:${gatewayPort}/mcp`
  const mcpUrls = `${mcpUrl},http://localhost:${gatewayPort}/mcp`
  const databasePath = resolve(folder, 'desk.sqlite')
  const LOG_LEVEL = variables['LOG_LEVEL'] ?? 'warn'
  return {
    service: {
      ...secrets,
      HOST: '127.0.0.1',
      PORT: String(servicePort),
      DATABASE_PATH: databasePath,
      ISSUER: issuer,
      AUDIENCE: serviceUrl,
      IDENTITY_GATEWAY_AUDIENCE: mcpUrls,
      LOG_LEVEL,
    },
    gateway: {
      HOST: '127.0.0.1',
      PORT: String(gatewayPort),
      PUBLIC_URL: mcpUrls,
      BACKEND_URL: serviceUrl,
      ISSUER: issuer,
      CLIENT_ID: 'desk-gateway',
      CLIENT_SECRET: secrets.IDENTITY_GATEWAY_SECRET,
      LOG_LEVEL,
    },
    servicePort,
    gatewayPort,
    portVariables: moved ? `SERVICE_PORT=${servicePort} GATEWAY_PORT=${gatewayPort} ` : '',
    issuer,
    serviceUrl,
    mcpUrl,
    databasePath,
    password,
  }
}

async function readOrMakeSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'environment.json')
  const text = (await readIfThere(path)) ?? (await makeSecrets(folder, path))
  try {
    return Secrets.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is not what this version writes; delete it and it is made anew.`)
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes aside and links: of two processes that start at once one makes the file, and both read that one. */
async function makeSecrets(folder: string, path: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: randomText(8), alg: 'ES256', use: 'sig' }
  const secrets: Secrets = {
    CURSOR_SECRET: randomText(32),
    IDENTITY_KEYS: JSON.stringify({ keys: [key] }),
    IDENTITY_PASSWORD: randomText(12),
    IDENTITY_GATEWAY_SECRET: randomText(32),
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomText(8)}`
  await writeFile(draft, JSON.stringify(secrets, null, 2), { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return readFile(path, 'utf8')
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

function port(
  variables: Readonly<Record<string, string | undefined>>,
  name: string,
  otherwise: number,
): number {
  const value = variables[name]
  if (!value) return otherwise
  if (!/^\d{1,5}$/.test(value) || Number(value) < 1 || Number(value) > 65_535) {
    throw new Error(`${name} is "${value}"; it must be a port, 1 to 65535.`)
  }
  return Number(value)
}
