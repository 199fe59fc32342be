// Levels that are read when somebody scrapes, and what this process is.
import { Gauge } from 'prom-client'
import type { MetricsRegistry } from './instruments.ts'

/** Where levels are read; what has none is 0. */
export interface Levels {
  readonly saturation: () => { readonly running: number; readonly waiting: number }
  readonly openStreams: () => number
  readonly cacheEntries: () => { readonly tokens: number; readonly credentials: number }
}

export interface About {
  readonly version: string
  readonly nodeVersion: string
  readonly catalogue: { readonly version: string; readonly digest: string }
}

export interface LevelMetrics {
  /** Adds sources; they are made after the metrics. */
  readonly watch: (levels: Partial<Levels>) => void
  /** Says what runs; to be told once. */
  readonly describe: (about: About) => void
}

export function createLevelMetrics(registry: MetricsRegistry): LevelMetrics {
  const sources: { -readonly [Name in keyof Levels]: Levels[Name] } = {
    saturation: () => ({ running: 0, waiting: 0 }),
    openStreams: () => 0,
    cacheEntries: () => ({ tokens: 0, credentials: 0 }),
  }
  const level = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  level(
    'desk_gateway_calls_in_flight',
    'Tool calls that run just now; MAX_CALLS_IN_FLIGHT is the bound.',
    () => sources.saturation().running,
  )
  level(
    'desk_gateway_calls_waiting',
    'Tool calls that wait for room just now.',
    () => sources.saturation().waiting,
  )
  level('desk_gateway_open_streams', 'Event streams that clients hold open just now.', () =>
    sources.openStreams(),
  )
  new Gauge({
    name: 'desk_gateway_cache_entries',
    help: 'Verified tokens, and credentials for the ticket service, that are kept; each at most 10000.',
    labelNames: ['cache'] as const,
    registers: [registry],
    collect() {
      for (const [cache, entries] of Object.entries(sources.cacheEntries())) this.set({ cache }, entries)
    },
  })
  return { watch: (levels) => Object.assign(sources, levels), describe: createAboutMetrics(registry) }
}

function createAboutMetrics(registry: MetricsRegistry): LevelMetrics['describe'] {
  const build = new Gauge({
    name: 'desk_gateway_build_info',
    help: '1, with the versions of the gateway and of Node.',
    labelNames: ['version', 'node_version'] as const,
    registers: [registry],
  })
  const served = new Gauge({
    name: 'desk_gateway_catalogue_info',
    help: '1, with version and digest of the tool catalogue; replicas that differ serve different tools.',
    labelNames: ['version', 'digest'] as const,
    registers: [registry],
  })
  return ({ version, nodeVersion, catalogue }) => {
    build.set({ version, node_version: nodeVersion }, 1)
    served.set({ version: catalogue.version, digest: catalogue.digest }, 1)
  }
}
