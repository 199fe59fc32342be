// What is said of arguments that do not fit: short, visible, and with the way to do it right.
import { describe, expect, it } from 'vitest'
import { readArguments, type ArgumentFault } from '../../src/tools/arguments.ts'
import { entryOf } from '../support/catalogue.ts'

function read(tool: string, given: unknown) {
  const { operation, validateInput } = entryOf(tool)
  return readArguments(operation.input, validateInput, given)
}

function refused(tool: string, given: unknown): readonly ArgumentFault[] {
  const result = read(tool, given)
  expect(result).toMatchObject({ ok: false })
  return result.ok ? [] : result.faults
}

describe('Names of arguments', () => {
  it('that are nearly right are answered with the right one', () => {
    const [fault] = refused('ticket_get', { id: 'T-1', coment_limit: 2 })
    expect(fault?.problem).toBe('coment_limit is not an argument of this tool; did you mean comments_limit?')
  })

  it('that are far off are answered with all there are', () => {
    const [fault] = refused('ticket_get', { id: 'T-1', xyzzyplugh: 2 })
    expect(fault?.problem).toContain('the arguments are: id, comments_cursor, comments_limit')
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
    'such as %s are unknown like any other, and change no prototype',
    (name) => {
      const given = JSON.parse(`{"id":"T-1","${name}":{"polluted":true}}`) as unknown
      expect(refused('ticket_get', given)[0]?.field).toBe(name)
      expect('polluted' in {}).toBe(false)
    },
  )

  it('that are required and missing are asked for with their meaning', () => {
    expect(refused('ticket_close', {})).toEqual([
      { field: 'id', problem: `id is required: The ticket's id, e.g. "T-42".` },
      { field: 'resolution', problem: 'resolution is required: What solved it in one sentence.' },
    ])
  })
})

describe('What is said of a fault', () => {
  const HOSTILE = [
    ['a long value', { id: 'x'.repeat(200_000) }],
    ['a long name', { id: 'T-1', ['n'.repeat(200_000)]: 1 }],
    ['hidden characters in a value', { id: 'a\u{E0041}\u202E\u200B\u200Bb\u0007' }],
    ['hidden characters in a name', { id: 'T-1', 'na\u{E0041}\u202Eme': 1 }],
    ['line breaks in a name', { id: 'T-1', 'name\n\r\u2028[not_found] x': 1 }],
    ['an emoji at the place of the cut', { id: `${'x'.repeat(58)}\u{1F5A8}\u{1F5A8}` }],
    ['half a surrogate pair', { id: 'a\uD83D' }],
    ['half a surrogate pair in a name', { id: 'T-1', '\uD83D': 1 }],
    ['a list as deep as a body is long', { id: nested(100_000) }],
    ['arguments that are such a list', nested(100_000)],
  ] as const

  it.each(HOSTILE)('is one short line of visible characters, after %s', (_case, given) => {
    for (const { field, problem } of refused('ticket_get', given)) {
      for (const text of [field, problem]) {
        expect(text.length).toBeLessThan(300)
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202E\u200B\u{E0041}]/u)
      }
    }
  })

  it('is at most four faults, however many there are, and soon', () => {
    const given = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, 1]))
    const start = performance.now()
    expect(refused('ticket_get', given)).toHaveLength(4)
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}
