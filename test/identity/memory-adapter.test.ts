import { describe, expect, it } from 'vitest'
import { createMemoryAdapter } from '../../backend-api/identity/memory-adapter.ts'

describe('the memory of the authorization server', () => {
  it('keeps kinds apart', async () => {
    const adapter = createMemoryAdapter()
    await adapter('Session').upsert('1', { uid: 'u' })
    expect(await adapter('Grant').find('1')).toBeUndefined()
    expect(await adapter('Grant').findByUid('u')).toBeUndefined()
    expect(await adapter('Session').findByUid('u')).toEqual({ uid: 'u' })
  })

  it('forgets the oldest of more than 5,000 entries', async () => {
    const interactions = createMemoryAdapter()('Interaction')
    for (let id = 0; id <= 5_000; id += 1) await interactions.upsert(String(id), { uid: String(id) })
    expect(await interactions.find('0')).toBeUndefined()
    expect(await interactions.find('5000')).toEqual({ uid: '5000' })
  })

  it('forgets an entry when its time is over', async () => {
    const codes = createMemoryAdapter()('AuthorizationCode')
    await codes.upsert('brief', { uid: 'u' }, 0.02)
    expect(await codes.find('brief')).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(await codes.find('brief')).toBeUndefined()
  })

  it('revokes what belongs to one grant and nothing else', async () => {
    const codes = createMemoryAdapter()('AuthorizationCode')
    await codes.upsert('a', { grantId: 'g1' })
    await codes.upsert('b', { grantId: 'g2' })
    await codes.revokeByGrantId('g1')
    expect([await codes.find('a'), await codes.find('b')]).toEqual([undefined, { grantId: 'g2' }])
  })
})
