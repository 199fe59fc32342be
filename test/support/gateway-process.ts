// The gateway as a process of its own in front of a scripted service: for signals, crashes, and several on one machine.
import { freePort, process as processOf, type Process } from './desk.ts'
import { GATEWAY, GATEWAY_SECRET, SERVICE } from './identity.ts'

export interface GatewayProcess extends Process {
  /** URL of the MCP endpoint. */
  readonly url: string
  /** Value of a series of the metrics, without labels or with exactly these as they stand in the text. */
  metric(series: string): Promise<number>
}

/** Starts it; `origins` are those of issuer and service. */
export async function startGatewayProcess(
  { issuer, backend }: { readonly issuer: string; readonly backend: string },
  variables: Record<string, string> = {},
): Promise<GatewayProcess> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const gateway = processOf(
    'src/main.ts',
    {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      PUBLIC_URL: GATEWAY,
      ALLOWED_HOSTS: '127.0.0.1',
      ISSUER: issuer,
      CLIENT_SECRET: GATEWAY_SECRET,
      BACKEND_URL: backend,
      BACKEND_AUDIENCE: SERVICE,
      LOG_LEVEL: 'debug',
      ...variables,
    },
    new URL(`http://127.0.0.1:${port}/healthz`),
  )
  await gateway.start()
  return {
    ...gateway,
    url: `http://127.0.0.1:${port}/mcp`,
    async metric(series) {
      const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
      if (line === undefined) throw new Error(`There is no series ${series}.`)
      return Number(line.slice(series.length))
    },
  }
}
