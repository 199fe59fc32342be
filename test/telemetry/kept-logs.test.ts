// The look through all logs at the end of a run would be worth nothing if it could not find anything.
import { describe, expect, it } from 'vitest'
import { STORIES } from '../../backend-api/seed/seed.ts'
import { indiscretions } from '../support/kept-logs.ts'

describe('The look through the logs of a run', () => {
  it('finds tokens, secrets and the texts of tickets', () => {
    const token = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.${Buffer.from('{"sub":"alice"}').toString('base64url')}`
    const bad = [
      `{"msg":"refused","token":"${token}.c2ln"}`,
      `{"authorization":"Bearer 0123456789abcdef0123"}`,
      `{"reason":"correct horse battery staple"}`,
      `{"subject":"${STORIES[0]?.subject}"}`,
    ]
    expect(indiscretions(bad.join('\n'))).toEqual(bad)
  })

  it('lets ids, names and classes pass', () => {
    const good = '{"request_id":"8a1b","user":"alice","ticket":"T-42","class":"not_found","ms":1.2}'
    expect(indiscretions(good)).toEqual([])
  })
})
