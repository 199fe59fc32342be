// A dashboard: rows of questions, placed on Grafana's grid, under the variables that choose what they are asked of.
// The SDK's own envelope is marked deprecated in favour of a format that only the newest Grafana reads, so it is data here.
import {
  AnnotationQueryBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  defaultDashboard,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { PROMETHEUS, toPanel, type Question } from './panel.ts'

export interface Row {
  readonly id: number
  readonly title: string
  readonly questions: readonly Question[]
}

export interface DashboardOf {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** A metric that only the processes of this dashboard have. */
  readonly metric: string
  /** Further variables: a label of a metric, all of its values to begin with. */
  readonly labels?: readonly { readonly name: string; readonly metric: string; readonly label: string }[]
  readonly rows: readonly Row[]
}

const COLUMNS = 24

/** The dashboard as Grafana's provisioning reads it. */
export function toDashboard({ uid, title, description, metric, labels = [], rows }: DashboardOf) {
  return {
    ...defaultDashboard(),
    // Of Grafana 12.1; newer ones read it too.
    schemaVersion: 41,
    uid,
    title,
    description,
    tags: ['desk'],
    timezone: 'utc',
    editable: false,
    graphTooltip: DashboardCursorSync.Crosshair,
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    links: [
      new DashboardLinkBuilder('Desk')
        .type(DashboardLinkType.Dashboards)
        .tags(['desk'])
        .keepTime(true)
        .build(),
    ],
    annotations: { list: annotations() },
    templating: {
      list: [
        new DatasourceVariableBuilder('datasource').label('Source').type('prometheus').build(),
        new QueryVariableBuilder('job')
          .label('Job')
          .datasource(PROMETHEUS)
          .query(`label_values(${metric}, job)`)
          .refresh(VariableRefresh.OnDashboardLoad)
          .build(),
        ...[{ name: 'instance', metric: `${metric}{job=~"$job"}`, label: 'instance' }, ...labels].map(
          toVariable,
        ),
      ],
    },
    panels: place(rows),
  }
}

function toVariable({ name, metric, label }: NonNullable<DashboardOf['labels']>[number]): VariableModel {
  return new QueryVariableBuilder(name)
    .label(name.charAt(0).toUpperCase() + name.slice(1))
    .datasource(PROMETHEUS)
    .query(`label_values(${metric}, ${label})`)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: 'All', value: '$__all' })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .build()
}

/** Since when: alerts and starts as marks in every panel. */
function annotations() {
  const annotation = (name: string, color: string, expr: string, title: string) =>
    new AnnotationQueryBuilder()
      .name(name)
      .datasource(PROMETHEUS)
      .enable(true)
      .iconColor(color)
      .expr(expr)
      .titleFormat(title)
      .step('30s')
      .build()
  return [
    annotation('Alerts', 'red', 'ALERTS{alertstate="firing"}', '{{alertname}}'),
    annotation(
      'Starts',
      'blue',
      'time() - process_start_time_seconds{job=~"$job"} < 60',
      '{{instance}} started',
    ),
  ]
}

/** From left to right, and on to the next line where a panel does not fit; as high as its highest panel. */
function place(rows: readonly Row[]): (Panel | RowPanel)[] {
  let top = 0
  return rows.flatMap(({ id, title, questions }) => {
    const gridPos = { x: 0, y: top, w: COLUMNS, h: 1 }
    const placed: (Panel | RowPanel)[] = [new RowBuilder(title).id(id).gridPos(gridPos).build()]
    let [x, y, lineHeight] = [0, top + 1, 0]
    for (const panel of questions.map(toPanel)) {
      const { w, h } = panel.gridPos ?? { w: COLUMNS, h: 0 }
      if (x + w > COLUMNS) [x, y, lineHeight] = [0, y + lineHeight, 0]
      placed.push({ ...panel, gridPos: { x, y, w, h } })
      x += w
      lineHeight = Math.max(lineHeight, h)
    }
    top = y + lineHeight
    return placed
  })
}
