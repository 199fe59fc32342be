export interface CalledTool {
  /** As it was sent: it may be that of no tool. */
  readonly name: string
  readonly arguments: unknown
  /** `_meta` of the message. */
  readonly meta: unknown
}

/** What a `tools/call` calls; undefined for every other message. */
export function calledTool(message: unknown): CalledTool | undefined {
  const { method, params } = (message ?? {}) as {
    method?: unknown
    params?: Partial<Record<string, unknown>> | null
  }
  if (method !== 'tools/call' || typeof params?.['name'] !== 'string') return undefined
  return { name: params['name'], arguments: params['arguments'], meta: params['_meta'] }
}
