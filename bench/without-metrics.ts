// Loaded before a process by `--import`: prom-client then counts nothing. For the benchmark, which asks what counting costs.
import { Counter, Gauge, Histogram } from 'prom-client'

const nothing = () => undefined

// Instances pick one of these when they are made, so that it is these that have to do nothing.
Object.assign(Counter.prototype, { incWithoutExemplar: nothing, incWithExemplar: nothing })
Object.assign(Histogram.prototype, { observeWithoutExemplar: nothing, observeWithExemplar: nothing })
Object.assign(Gauge.prototype, { inc: nothing, dec: nothing, set: nothing })
