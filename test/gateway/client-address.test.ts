import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { createAddressOf, isAddressRange } from '../../src/gateway/client-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as Request

describe('the address of a client', () => {
  it.each<[string, string[], Request, string]>([
    [
      "is the socket's, whatever headers say, when no proxy is trusted",
      [],
      from('192.0.2.1', '203.0.113.9'),
      '192.0.2.1',
    ],
    [
      "is the socket's when that is not a trusted proxy",
      ['10.0.0.0/8'],
      from('192.0.2.1', '203.0.113.9'),
      '192.0.2.1',
    ],
    ['is what a trusted proxy saw', ['10.0.0.0/8'], from('10.0.0.5', '203.0.113.9'), '203.0.113.9'],
    [
      'is the right-most that is not trusted: what stands left of it anybody can write',
      ['10.0.0.0/8'],
      from('10.0.0.5', '1.1.1.1, 203.0.113.9, 10.0.0.7'),
      '203.0.113.9',
    ],
    ['is the proxy itself where the header is missing', ['10.0.0.0/8'], from('10.0.0.5'), '10.0.0.5'],
    [
      'is the last believable one where the header is garbage',
      ['10.0.0.0/8'],
      from('10.0.0.5', 'unknown, 10.0.0.7'),
      '10.0.0.7',
    ],
    [
      'is found through dual-stack sockets',
      ['10.0.0.5'],
      from('::ffff:10.0.0.5', '2001:db8::1'),
      '2001:db8::1',
    ],
    ['is found through IPv6 ranges', ['fd00::/8'], from('fd00::1', '203.0.113.9'), '203.0.113.9'],
  ])('%s', (_name, trusted, request, expected) => {
    expect(createAddressOf(trusted)(request)).toBe(expected)
  })

  it.each([
    ['10.0.0.0/8', true],
    ['::1', true],
    ['10.0.0.0/99', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/8/8', false],
    ['proxy.example', false],
    ['', false],
  ])('range %j: %j', (text, valid) => {
    expect(isAddressRange(text)).toBe(valid)
  })
})
