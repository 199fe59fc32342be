// The official MCP clients of both generations, connected to the gateway over real HTTP.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallResult } from './gateway.ts'

export interface DeskClient {
  readonly name: string
  toolNames(): Promise<string[]>
  /** Calls a tool by its short name. Rejects on HTTP refusals, as the client does. */
  call(tool: string, args?: Record<string, unknown>): Promise<CallResult>
  readPolicy(): Promise<string>
  triage(ticketId: string): Promise<string>
  close(): Promise<void>
}

export type Connect = (url: string, token: string) => Promise<DeskClient>

const INFO = { name: 'test-client', version: '1.0.0' }

/** One row per client generation and protocol era. */
export const CLIENTS: readonly { readonly name: string; readonly connect: Connect }[] = [
  { name: 'v2 client, 2026-07-28', connect: (url, token) => connectV2(url, token, 'auto') },
  { name: 'v2 client, 2025 era', connect: (url, token) => connectV2(url, token, 'legacy') },
  { name: 'v1 client', connect: connectV1 },
]

async function connectV2(url: string, token: string, mode: 'auto' | 'legacy'): Promise<DeskClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: bearer(token) }))
  const era = client.getProtocolEra()
  if ((era === 'modern') !== (mode === 'auto')) throw new Error(`The client negotiated the ${era} era.`)
  return deskClient(`v2 ${era}`, client as unknown as AnyClient)
}

async function connectV1(url: string, token: string): Promise<DeskClient> {
  const client = new ClientV1(INFO)
  const transport = new TransportV1(new URL(url), { requestInit: bearer(token) })
  await client.connect(transport)
  // Lists first: this client then checks results against the output schemas.
  await client.listTools()
  return deskClient('v1', client as unknown as AnyClient)
}

function bearer(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } }
}

/** What the generations have in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  readResource(params: { uri: string }): Promise<{ contents: { text?: string }[] }>
  getPrompt(params: {
    name: string
    arguments: Record<string, string>
  }): Promise<{ messages: { content: { text?: string } }[] }>
  close(): Promise<void>
}

function deskClient(name: string, client: AnyClient): DeskClient {
  return {
    name,
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, args) =>
      (await client.callTool({
        name: `acme_desk__${tool}`,
        ...(args && { arguments: args }),
      })) as CallResult,
    readPolicy: async () => (await client.readResource({ uri: 'desk://policy' })).contents[0]?.text ?? '',
    triage: async (ticketId) =>
      (await client.getPrompt({ name: 'triage', arguments: { ticket_id: ticketId } })).messages[0]?.content
        .text ?? '',
    close: () => client.close(),
  }
}
