// One panel as data, and how it becomes Grafana's: a question, queries that answer it, and what to do about the answer.
import type * as cog from '@grafana/grafana-foundation-sdk/cog'
import {
  GraphThresholdsStyleConfigBuilder,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
  type DataSourceRef,
} from '@grafana/grafana-foundation-sdk/common'
import * as common from '@grafana/grafana-foundation-sdk/common'
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus'
import * as stat from '@grafana/grafana-foundation-sdk/stat'
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline'
import * as table from '@grafana/grafana-foundation-sdk/table'
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries'

export const PROMETHEUS: DataSourceRef = { type: 'prometheus', uid: '${datasource}' }

export interface Question {
  /** Stays with the panel for good: links and alerts point at it. */
  readonly id: number
  readonly title: string
  /** What to do about a bad answer. */
  readonly description: string
  readonly kind: 'lines' | 'stacked' | 'stat' | 'timeline' | 'table'
  readonly queries: readonly Query[]
  readonly unit?: 'reqps' | 's' | 'bytes' | 'percentunit' | 'short'
  readonly decimals?: number
  readonly max?: number
  /** Of 24 columns. */
  readonly width?: number
  /** Colours from the value on; the first step has none. */
  readonly steps?: readonly (readonly [from: number | null, color: Color])[]
  /** Words instead of values. */
  readonly words?: Readonly<Record<number, string>>
  /** Shows the calls behind the latencies, by their trace ids. */
  readonly exemplars?: true
}

export interface Query {
  readonly expr: string
  /** `{{label}}` stands for the label's value. */
  readonly legend: string
}

type Color = 'green' | 'orange' | 'red' | 'blue'

const HEIGHT = { lines: 9, stacked: 9, stat: 4, timeline: 6, table: 6 } as const

/** The panel, not yet placed. */
export function toPanel(question: Question): dashboard.Panel {
  return { ...draw(question), gridPos: { x: 0, y: 0, w: question.width ?? 12, h: HEIGHT[question.kind] } }
}

function draw(question: Question): dashboard.Panel {
  switch (question.kind) {
    case 'lines':
    case 'stacked':
      return withQuestion(drawOverTime(question), question).build()
    case 'stat':
      return withQuestion(
        new stat.PanelBuilder()
          .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
          .colorMode(common.BigValueColorMode.Background)
          .graphMode(common.BigValueGraphMode.None),
        question,
      ).build()
    case 'timeline':
      return withQuestion(
        new statetimeline.PanelBuilder().mergeValues(true).legend(hidden()),
        question,
      ).build()
    case 'table':
      return withQuestion(
        new table.PanelBuilder().transformations([
          { id: 'organize', options: { excludeByName: { Time: true, Value: true, __name__: true } } },
        ]),
        question,
      ).build()
  }
}

function drawOverTime({ kind, steps }: Question): timeseries.PanelBuilder {
  const { Dashed, Off } = common.GraphThresholdsStyleMode
  const { Normal, None } = common.StackingMode
  return new timeseries.PanelBuilder()
    .lineWidth(2)
    .fillOpacity(kind === 'stacked' ? 40 : 0)
    .stacking(new StackingConfigBuilder().mode(kind === 'stacked' ? Normal : None))
    .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(steps ? Dashed : Off))
    .showPoints(common.VisibilityMode.Auto)
    .tooltip(
      new VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(['lastNotNull', 'max']),
    )
}

function hidden(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder().displayMode(common.LegendDisplayMode.Hidden).showLegend(false)
}

/** What panels of every kind have. */
interface AnyPanelBuilder extends cog.Builder<dashboard.Panel> {
  id(id: number): this
  title(title: string): this
  description(description: string): this
  datasource(datasource: DataSourceRef): this
  unit(unit: string): this
  decimals(decimals: number): this
  min(min: number): this
  max(max: number): this
  noValue(text: string): this
  mappings(mappings: dashboard.ValueMapping[]): this
  thresholds(thresholds: cog.Builder<dashboard.ThresholdsConfig>): this
  targets(targets: cog.Builder<cog.Dataquery>[]): this
}

function withQuestion<Builder extends AnyPanelBuilder>(builder: Builder, question: Question): Builder {
  const { decimals, max, steps, words } = question
  builder
    .id(question.id)
    .title(question.title)
    .description(question.description)
    .datasource(PROMETHEUS)
    .unit(question.unit ?? 'short')
    .min(0)
    .noValue('none')
    .targets(question.queries.map((query, index) => toTarget(query, index, question)))
  if (decimals !== undefined) builder.decimals(decimals)
  if (max !== undefined) builder.max(max)
  if (steps) builder.thresholds(toThresholds(steps))
  if (words) builder.mappings([toMapping(words)])
  return builder
}

function toTarget({ expr, legend }: Query, index: number, { kind, exemplars }: Question) {
  const target = new prometheus.DataqueryBuilder()
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .expr(expr)
    .legendFormat(legend)
  if (kind === 'table') return target.instant().format(prometheus.PromQueryFormat.Table)
  return kind === 'stat' ? target.instant() : target.range().exemplar(exemplars ?? false)
}

function toThresholds(steps: NonNullable<Question['steps']>): dashboard.ThresholdsConfigBuilder {
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps.map(([value, color]) => ({ value, color })))
}

function toMapping(words: NonNullable<Question['words']>): dashboard.ValueMapping {
  const options = Object.fromEntries(Object.entries(words).map(([value, text]) => [value, { text }]))
  return { type: dashboard.MappingType.ValueToText, options }
}
