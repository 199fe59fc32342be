// What a model may send, by plain calls: lenient where the meaning is plain, strict where it protects.
import { describe, expect, it } from 'vitest'
import { readArguments, type ArgumentFault } from '../../src/tools/arguments.ts'
import { entryOf } from '../support/catalogue.ts'

function read(tool: string, given: unknown) {
  const { operation, validateInput } = entryOf(tool)
  return readArguments(operation.input, validateInput, given)
}

/** The input that the arguments amount to; fails the test when they are refused. */
function accepted(tool: string, given: unknown): Record<string, unknown> {
  const result = read(tool, given)
  expect(result).toMatchObject({ ok: true })
  return result.ok ? result.input : {}
}

function refused(tool: string, given: unknown): readonly ArgumentFault[] {
  const result = read(tool, given)
  expect(result).toMatchObject({ ok: false })
  return result.ok ? [] : result.faults
}

const NEW = { subject: 'Printer', body: 'It blinks.' }

describe('Arguments that mean nothing', () => {
  it.each([undefined, null, {}])('%j are none at all (C29)', (given) => {
    expect(accepted('tickets_search', given)).toEqual({})
  })

  it('are left out where they are null and optional', () => {
    expect(accepted('tickets_search', { query: null, limit: null, status: 'open' })).toEqual({
      status: 'open',
    })
  })

  it('are refused where they are null and required, or null and unknown', () => {
    expect(refused('ticket_get', { id: null })[0]?.field).toBe('id')
    expect(refused('ticket_get', { id: 'T-1', nothing: null })[0]?.field).toBe('nothing')
  })

  it.each([[['T-42']], ['T-42'], [42], [true]])(
    'are refused when they are %j instead of an object',
    (given) => {
      const [fault] = refused('ticket_get', given)
      expect(fault?.field).toBe('arguments')
      expect(fault?.problem).toMatch(/^arguments must be an object, got /)
    },
  )
})

describe('Numbers and digits', () => {
  it.each([
    ['10', 10],
    [10, 10],
    [10.0, 10],
    ['1', 1],
  ])('limit %j is read as %d (C28)', (limit, expected) => {
    expect(accepted('tickets_search', { limit })).toEqual({ limit: expected })
  })

  it.each([
    'ten',
    '1e1',
    ' 10',
    '10 ',
    '010',
    '+10',
    '-0',
    '0x10',
    '10.0',
    '',
    'NaN',
    'Infinity',
    '99999999999999999999',
    '１０',
    0,
    21,
    -1,
    1.5,
    1e3,
    1e21,
    Infinity,
    NaN,
    true,
    [10],
    { limit: 10 },
  ])('limit %j is one clear fault (C28)', (limit) => {
    const faults = refused('tickets_search', { limit })
    expect(faults).toHaveLength(1)
    expect(faults[0]?.field).toBe('limit')
    expect(faults[0]?.problem).toMatch(/^limit must be .*, got .+/)
  })

  it('a number is text where text is meant, when the conversion is exact', () => {
    expect(accepted('tickets_search', { query: 42 })).toEqual({ query: '42' })
    for (const query of [2 ** 53, 1.5, true]) expect(refused('tickets_search', { query })).toHaveLength(1)
  })

  it('an id without its letter is one fault that shows the form (C28)', () => {
    expect(refused('ticket_get', { id: 42 })).toEqual([
      { field: 'id', problem: 'id must look like "T-42", got "42"' },
    ])
  })
})

describe('Ids', () => {
  it.each([
    '../../admin',
    '1?x=1',
    '.',
    '..',
    '%2e%2e',
    '1#a',
    '',
    ' ',
    'T-',
    'T-0',
    'T-042',
    't-42',
    'T-42\n',
    '\nT-42',
    'T-42/close',
    'T-42?x=1',
    'T-42#a',
    'T-42\u0000',
    'T-４２',
    'T-12345678901234567890',
    'T--1',
    'T-1e3',
  ])('%j is refused and the form is shown (C26)', (id) => {
    const faults = refused('ticket_get', { id })
    expect(faults).toHaveLength(1)
    expect(faults[0]?.problem).toContain('id must look like "T-42"')
  })

  it('of 19 digits are kept to the last digit', () => {
    expect(accepted('ticket_get', { id: 'T-9007199254740993000' })).toEqual({ id: 'T-9007199254740993000' })
  })
})

describe('Lists', () => {
  it('sent as a string are refused with the way to send them (C27)', () => {
    const [fault] = refused('ticket_create', { ...NEW, tags: '["vip"]' })
    expect(fault?.problem).toBe('tags must be an array, e.g. ["one", "two"], got "["vip"]"')
  })

  it('keep a comma inside a value (C25)', () => {
    expect(accepted('ticket_create', { ...NEW, tags: ['vip', 'a,b'] })['tags']).toEqual(['vip', 'a,b'])
  })

  it('name the place of the value at fault', () => {
    expect(refused('ticket_create', { ...NEW, tags: ['vip', 7] })).toEqual([
      { field: 'tags', problem: 'tags[1] must be a string, got 7' },
    ])
    expect(refused('ticket_create', { ...NEW, tags: ['vip', ''] })).toEqual([
      { field: 'tags', problem: 'tags[1] must have at least 1 character, got ""' },
    ])
  })

  it.each([[Array.from({ length: 11 }, (_, index) => `t${index}`)], [['same', 'same']]])(
    '%j are refused',
    (tags) => {
      expect(refused('ticket_create', { ...NEW, tags })[0]?.field).toBe('tags')
    },
  )
})

describe('Text', () => {
  it('of 4,000 characters of four bytes each passes (C31)', () => {
    const body = '\u{1F5A8}'.repeat(4_000)
    expect(accepted('ticket_comment', { id: 'T-1', body })['body']).toBe(body)
    expect(refused('ticket_comment', { id: 'T-1', body: `${body}x` })[0]?.field).toBe('body')
  })

  it.each(['\uD800', 'a\uDC00b', '\uD83D'])('with half a surrogate pair (%j) is refused', (half) => {
    expect(refused('tickets_search', { query: half })[0]?.problem).toContain('must be Unicode text')
    expect(refused('ticket_create', { ...NEW, tags: ['ok', half] })[0]?.field).toBe('tags')
  })

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a b', 'key\u0000', 'schlüssel', '', 'k'.repeat(129)])(
    'that cannot be a header is refused as an idempotency key: %j (C30)',
    (idempotency_key) => {
      expect(refused('ticket_create', { ...NEW, idempotency_key })[0]?.field).toBe('idempotency_key')
    },
  )
})
