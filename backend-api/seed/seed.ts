// Fills an empty desk with tickets. The same number and seed give the same desk, byte for byte.

import type { DeskLoader, Store, TicketToLoad } from '../store/store.ts'
import { PEOPLE } from './people.ts'
import { createRandom, pick } from './random.ts'
import { scheduleTicket } from './schedule.ts'
import type { Story } from './story.ts'
import { inventStory } from './templates.ts'
import { DEVICES } from './tickets/devices.ts'
import { HOSTILE } from './tickets/hostile.ts'
import { LONG_RUNNING } from './tickets/long-running.ts'
import { MONEY } from './tickets/money.ts'
import { NETWORK_AND_ACCESS } from './tickets/network-and-access.ts'
import { PEOPLE_AND_BUILDING } from './tickets/people-and-building.ts'
import { PRINTERS } from './tickets/printers.ts'

const CLIENT_ID = 'desk-seed'

/** The tickets that were written by hand, by theme. */
export const STORIES: readonly Story[] = [
  ...PRINTERS,
  ...NETWORK_AND_ACCESS,
  ...DEVICES,
  ...MONEY,
  ...PEOPLE_AND_BUILDING,
  ...LONG_RUNNING,
  ...HOSTILE,
]

export interface SeedOptions {
  readonly tickets: number
  /** 0 to 4294967295. */
  readonly seed: number
  /** Is told how many tickets are on their way, now and then. */
  readonly progress?: (tickets: number) => void
}

export type Seeded =
  | { readonly kind: 'seeded'; readonly tickets: number }
  | { readonly kind: 'not_empty'; readonly tickets: number }

/** All or nothing; a desk that has tickets is left as it is. */
export async function seedDesk(store: Store & DeskLoader, options: SeedOptions): Promise<Seeded> {
  const { total } = await store.listAllTickets({ after: null, limit: 1 }, { internal: true })
  if (total > 0) return { kind: 'not_empty', tickets: total }
  const tickets = await store.load(PEOPLE, withProgress(seedTickets(options), options.progress), CLIENT_ID)
  return { kind: 'seeded', tickets }
}

/** The tickets, oldest first: invented ones as far as more are wanted than were written, then those, shuffled. */
export function* seedTickets({ tickets, seed }: SeedOptions): Generator<TicketToLoad> {
  const random = createRandom(seed)
  const written = shuffle(STORIES, random).slice(0, tickets)
  const invented = tickets - written.length
  for (let index = 0; index < tickets; index += 1) {
    const story = written[index - invented] ?? inventStory(index, random)
    yield scheduleTicket(story, index, tickets, random)
  }
}

function shuffle(stories: readonly Story[], random: () => number): Story[] {
  const left = [...stories]
  return stories.map(() => {
    const next = pick(random, left)
    left.splice(left.indexOf(next), 1)
    return next
  })
}

function* withProgress(
  tickets: Iterable<TicketToLoad>,
  progress: SeedOptions['progress'],
  every = 10_000,
): Generator<TicketToLoad> {
  let count = 0
  for (const ticket of tickets) {
    yield ticket
    count += 1
    if (count % every === 0) progress?.(count)
  }
}
