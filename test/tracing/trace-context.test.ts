import { describe, expect, it } from 'vitest'
import { traceContextOf, traceHeaders } from '../../src/telemetry/trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const OTHER = '1'.repeat(32)
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`

const read = (traceparent: unknown, tracestate?: unknown) =>
  traceContextOf({ traceparent, tracestate }, undefined)

describe('an incoming trace context', () => {
  it('is read from _meta, or else from the headers', () => {
    const expected = { traceId: TRACE, spanId: SPAN, flags: 1, state: undefined }
    const header = { traceparent: `00-${OTHER}-${SPAN}-00` }
    expect(traceContextOf({ traceparent: TRACEPARENT }, header)).toEqual(expected)
    expect(traceContextOf({ progressToken: 1 }, { traceparent: TRACEPARENT })).toEqual(expected)
    expect(traceContextOf(undefined, { traceparent: TRACEPARENT })).toEqual(expected)
    expect(traceContextOf({ traceparent: 'nonsense' }, { traceparent: TRACEPARENT })).toEqual(expected)
  })

  it('takes tracestate from where traceparent was', () => {
    const headers = { traceparent: `00-${OTHER}-${SPAN}-00`, tracestate: 'header=1' }
    expect(traceContextOf({ traceparent: TRACEPARENT }, headers)?.state).toBeUndefined()
    expect(traceContextOf({ traceparent: TRACEPARENT, tracestate: 'meta=1' }, headers)?.state).toBe('meta=1')
    expect(traceContextOf({ tracestate: 'meta=1' }, headers)?.state).toBe('header=1')
  })

  it.each([
    ['no string', 7],
    ['nothing', ''],
    ['a list of two, as a header that came twice', `${TRACEPARENT}, ${TRACEPARENT}`],
    ['capitals', TRACEPARENT.toUpperCase()],
    ['digits that are none', `00-${'g'.repeat(32)}-${SPAN}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span id', `00-${TRACE}-${SPAN}0-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
    ['more fields than version 00 has', `${TRACEPARENT}-00`],
    ['text that goes on', `${TRACEPARENT}x`],
    ['a line break', `${TRACEPARENT}\n`],
    ['a later version without a dash after the flags', `01-${TRACE}-${SPAN}-01x`],
    ['no flags', `00-${TRACE}-${SPAN}`],
  ])('is ignored with %s', (_what, traceparent) => {
    expect(read(traceparent)).toBeUndefined()
  })

  it.each([undefined, null, 'text', 7, [], {}])('is not found in %j', (carrier) => {
    expect(traceContextOf(carrier, carrier)).toBeUndefined()
  })

  it('of a later version is read as far as this one knows it', () => {
    expect(read(`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`)).toMatchObject({
      traceId: TRACE,
      flags: 1,
    })
    expect(read(`01-${TRACE}-${SPAN}-00`)).toMatchObject({ spanId: SPAN, flags: 0 })
  })

  it('loses a tracestate that is too long or unfit for a header, and nothing else', () => {
    expect(read(TRACEPARENT, `a=${'b'.repeat(510)}`)?.state).toHaveLength(512)
    for (const state of [`a=${'b'.repeat(511)}`, 'a=1\r\nX-Role: admin', 'a=é', '', 7])
      expect(read(TRACEPARENT, state)).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1, state: undefined })
  })
})

describe('an outgoing trace context', () => {
  it('is what came in', () => {
    const carried = read(TRACEPARENT, 'a=1,b=2')
    expect(carried && traceHeaders(carried)).toEqual({ traceparent: TRACEPARENT, tracestate: 'a=1,b=2' })
  })

  it('keeps the sampled and the random flag and no other, in the version that we speak', () => {
    const carried = read(`cc-${TRACE}-${SPAN}-ff-more`)
    expect(carried && traceHeaders(carried)).toEqual({ traceparent: `00-${TRACE}-${SPAN}-03` })
  })
})
