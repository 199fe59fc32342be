// The desk's policy as a resource: what a person may want a model to know. The text is the service's.
import type { Backend } from '../backend/backend.ts'

export const policyResource = {
  uri: 'desk://policy',
  name: 'policy',
  title: 'Desk policy',
  description: 'How this desk works: who may do what, and what each state of a ticket means.',
  mimeType: 'text/markdown',
} as const

/** The text, or undefined when the service does not give it. */
export async function readPolicy(backend: Backend, signal: AbortSignal): Promise<string | undefined> {
  const reply = await backend.policy(signal)
  return reply.kind === 'answer' && reply.status === 200 ? reply.text : undefined
}
