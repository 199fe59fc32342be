// `npm run soak`: 200,000 calls with 2 % faults: memory, sockets and timers after the first 20,000 and at the end. Needs Linux (/proc).
import { soak, type Footprint } from '../test/support/soak.ts'

const EARLY_CALLS = 20_000
const CALLS = 200_000

const { early, late, seconds, failedShare } = await soak(EARLY_CALLS, CALLS)
const line = (when: string, { rssBytes, sockets, timers }: Footprint) =>
  `${when.padEnd(24)} ${(rssBytes / 2 ** 20).toFixed(1)} MiB, ${sockets} file descriptors, ${timers} timers\n`
process.stdout.write(line(`after ${EARLY_CALLS} calls`, early))
process.stdout.write(line(`after ${CALLS} calls`, late))
process.stdout.write(
  `Memory: ${(((late.rssBytes - early.rssBytes) / early.rssBytes) * 100).toFixed(1)} %. ${(CALLS / seconds).toFixed(0)} calls/s, ${(failedShare * 100).toFixed(2)} % failed.\n`,
)
