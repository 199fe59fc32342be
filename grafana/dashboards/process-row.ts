// What both processes have in common: processor, memory, event loop, uptime.
import type { Row } from './dashboard.ts'
import type { Question } from './panel.ts'
import { CHOSEN, level } from './query.ts'

const questions: readonly Question[] = [
  {
    id: 1,
    title: 'How much processor time is used?',
    description: 'One core is the bound of a process. Near it: more replicas, or find what computes so long.',
    kind: 'lines',
    steps: [
      [null, 'green'],
      [1, 'red'],
    ],
    queries: [
      {
        expr: `rate(process_cpu_seconds_total{${CHOSEN}}[$__rate_interval])`,
        legend: '{{instance}}, cores',
      },
    ],
  },
  {
    id: 2,
    title: 'How much memory is used?',
    description:
      'A slope over days is a leak; a step comes with traffic or a version. The container has 512 MiB.',
    kind: 'lines',
    unit: 'bytes',
    steps: [
      [null, 'green'],
      [0.8 * 512 * 1024 * 1024, 'red'],
    ],
    queries: [
      { expr: level('process_resident_memory_bytes'), legend: '{{instance}}, all' },
      { expr: level('nodejs_heap_size_used_bytes'), legend: '{{instance}}, heap' },
    ],
  },
  {
    id: 3,
    title: 'Does the event loop lag?',
    description:
      'Every request waits this long on top. Over 200 ms: too much work for one process, or one long computation.',
    kind: 'lines',
    unit: 's',
    steps: [
      [null, 'green'],
      [0.2, 'red'],
    ],
    queries: [
      { expr: level('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}}, 99 %' },
      { expr: level('nodejs_eventloop_lag_mean_seconds'), legend: '{{instance}}, mean' },
    ],
  },
  {
    id: 4,
    title: 'Since when does it run?',
    description:
      'A line that falls to nothing is a restart. Several in a row: exit codes by docker compose ps -a.',
    kind: 'lines',
    unit: 's',
    queries: [{ expr: `time() - ${level('process_start_time_seconds')}`, legend: '{{instance}}' }],
  },
]

/** `id` is the row's; the panels follow it. */
export function processRow(id: number, more: readonly Question[]): Row {
  const own = questions.map((question) => ({ ...question, id: id + question.id }))
  return { id, title: 'Is the process well?', questions: [...own, ...more] }
}
