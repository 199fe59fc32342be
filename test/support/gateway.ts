// The whole gateway in this process, on a free port, in front of any service and issuer.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { createHttpGateway, type HttpGateway } from '../../src/http.ts'
import { passOn } from '../../src/telemetry/tracing.ts'

import { keepLog } from './kept-logs.ts'

export const GATEWAY_AUDIENCE = 'http://127.0.0.1:8080/mcp'

export interface RunningGateway {
  /** URL of the MCP endpoint. */
  readonly url: string
  readonly origin: string
  readonly gateway: HttpGateway
  /** What was logged, one JSON document a line. */
  readonly logged: () => string
  /** Posts one message in the 2025 form and returns the HTTP answer. */
  post(message: unknown, token: string | undefined, headers?: Record<string, string>): Promise<Response>
  /** Calls a tool by its short name and returns the result. */
  call(tool: string, args: unknown, token: string): Promise<CallResult>
  close(): Promise<void>
}

export interface CallResult {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly _meta?: Record<string, unknown>
}

export interface GatewayError {
  readonly class: string
  readonly code: string
  readonly retryable: boolean
  readonly retry_after_s?: number
  readonly field?: string
  readonly request_id: string
}

export async function startGateway(variables: Record<string, string>): Promise<RunningGateway> {
  const lines: string[] = []
  const config = readConfig({
    PORT: '0',
    PUBLIC_URL: GATEWAY_AUDIENCE,
    ALLOWED_HOSTS: '127.0.0.1,localhost',
    LOG_LEVEL: 'debug',
    ...variables,
  })
  const log = pino(
    { level: config.logLevel },
    {
      write: (line: string) => {
        lines.push(line)
        keepLog(line)
      },
    },
  )
  const gateway = createHttpGateway(config, { log, tracing: passOn })
  gateway.server.listen(0, '127.0.0.1')
  await once(gateway.server, 'listening')
  const origin = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`
  const url = `${origin}/mcp`
  const post: RunningGateway['post'] = (message, token, headers = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  return {
    url,
    origin,
    gateway,
    logged: () => lines.join(''),
    post,
    async call(tool, args, token) {
      const params = { name: `acme_desk__${tool}`, arguments: args }
      const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, token)
      const answer = (await response.json()) as { result?: CallResult }
      if (!answer.result) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
      return answer.result
    },
    async close() {
      gateway.server.closeAllConnections()
      await gateway.stop()
    },
  }
}

/** The machine-readable half of a failed call. */
export function errorOf(result: CallResult): GatewayError {
  return (result._meta?.['desk/error'] ?? {}) as GatewayError
}

export function textOf(result: CallResult): string {
  return result.content[0]?.text ?? ''
}
