// Gives stories their dates: spread over three months before a fixed day, so that a seeded desk never changes.

import type { TicketToLoad } from '../store/store.ts'
import type { Random } from './random.ts'
import type { Story } from './story.ts'

const END_MS = Date.UTC(2026, 2, 1)
const WINDOW_MS = 90 * 24 * 3_600_000
const STEP_MAX_MS = 20 * 3_600_000

/** The story as number `index` of `count`: later numbers are filed later; nothing happens after 2026-03-01. */
export function scheduleTicket(story: Story, index: number, count: number, random: Random): TicketToLoad {
  const createdAt_ms = END_MS - WINDOW_MS + Math.floor(((index + random()) / count) * WINDOW_MS)
  const talk = story.talk ?? []
  // Room for every comment, the closing and a rest, also where the window is nearly over.
  const step_ms = Math.min(STEP_MAX_MS, (END_MS - createdAt_ms) / (talk.length + 2))
  let now_ms = createdAt_ms
  const later = (): string => {
    now_ms += Math.ceil(step_ms * (0.1 + 0.9 * random()))
    return new Date(now_ms).toISOString()
  }

  return {
    subject: story.subject,
    body: story.body,
    priority: story.priority ?? 'normal',
    tags: story.tags,
    requesterId: story.requester,
    assigneeId: story.assignee ?? null,
    createdAt: new Date(createdAt_ms).toISOString(),
    comments: talk.map(([authorId, body, visibility]) => ({
      authorId,
      body,
      visibility: visibility ?? 'public',
      createdAt: later(),
    })),
    closed:
      story.resolution === undefined
        ? null
        : { at: later(), byId: story.assignee ?? 'alice', resolution: story.resolution },
  }
}
