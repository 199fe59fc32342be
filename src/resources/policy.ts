import type { Resource } from './define-resource.ts'

export const policy: Resource = {
  wire: {
    uri: 'desk://policy',
    name: 'policy',
    title: 'Desk policy',
    description: 'How this desk works: who may do what, and what each state of a ticket means.',
    mimeType: 'text/markdown',
  },
  async read(backend, signal) {
    const reply = await backend.policy(signal)
    if (reply.kind !== 'answer' || reply.status !== 200) return undefined
    return reply.mediaType === 'text/markdown' ? reply.text : undefined
  },
}
