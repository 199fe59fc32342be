// What the MCP registry is told about the gateway: `server.json`, in its schema of 2025-12-11.

import type { CatalogueLock } from '../src/tools/catalogue-lock.ts'

export interface RegistryEntry {
  readonly $schema: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly version: string
  readonly remotes: readonly Readonly<Record<string, unknown>>[]
  readonly _meta: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Every deployment has a host of its own, so the URL has a blank that the client fills in. */
export function registryEntry({ version, digest, tools }: CatalogueLock): RegistryEntry {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'io.github.desk-gateway/desk-gateway',
    title: 'Ticket desk',
    description: 'Search, file, answer and close helpdesk tickets with the rights of the person you act for.',
    version,
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{host}/mcp',
        variables: {
          host: {
            description: 'Host of the desk, with a port where it has one.',
            isRequired: true,
            placeholder: 'desk.example.com',
          },
        },
      },
    ],
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': {
        catalogue: { digest, tools: Object.keys(tools) },
      },
    },
  }
}
