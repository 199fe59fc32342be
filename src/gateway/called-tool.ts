/** The name in a `tools/call` as it was sent, which may be that of no tool; undefined for every other message. */
export function calledTool(message: unknown): string | undefined {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } | null }
  const name = method === 'tools/call' ? params?.name : undefined
  return typeof name === 'string' ? name : undefined
}
