// JSON-RPC messages of both protocol eras, as a client would put them on the wire, and the errors that come back.
import { expect } from 'vitest'
import type { RawAnswer } from './raw-http.ts'

export interface Message {
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

export type Era = (method: string, params?: Record<string, unknown>, id?: unknown) => Message

/** 2025-11-25 and before: no envelope, no headers. */
export const message2025: Era = (method, params = {}, id = 1) => ({
  headers: { 'content-type': 'application/json' },
  body: { jsonrpc: '2.0', id, method, params },
})

/** 2026-07-28: each request says its version, in the headers and in the body. */
const message2026: Era = (method, params = {}, id = 1) => {
  const name = params['name'] ?? params['uri']
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  }
  return {
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
  }
}

export const ERAS = [
  ['2025-11-25', message2025],
  ['2026-07-28', message2026],
] as const

/** The call of a tool by its short name. */
export function toolCall(era: Era, tool: string, args: unknown, id: unknown = 1): Message {
  return era('tools/call', { name: `acme_desk__${tool}`, arguments: args }, id)
}

/** The JSON-RPC error in an answer, which must be one and give nothing of our insides away. */
export function errorIn(answer: RawAnswer): { code: number; message: string } {
  const parsed = JSON.parse(answer.body) as { jsonrpc: string; error: { code: number; message: string } }
  expect(parsed.jsonrpc).toBe('2.0')
  expect(answer.body).not.toMatch(/ {4}at |node_modules|SyntaxError/)
  return parsed.error
}
