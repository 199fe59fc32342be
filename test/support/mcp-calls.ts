// Calls tools with plain HTTP in the 2025 form: for many calls at once, where a client object each would be too much.
import type { CallResult } from './gateway.ts'

export type CallTool = (tool: string, args: Record<string, unknown>) => Promise<CallResult>

export function callerOf(url: string, token: string): CallTool {
  return async (tool, args) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: `acme_desk__${tool}`, arguments: args },
      }),
    })
    const answer = (await response.json()) as { result?: CallResult }
    if (!answer.result) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
    return answer.result
  }
}
