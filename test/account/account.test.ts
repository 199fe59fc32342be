import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyPassword } from '../../backend-api/identity/password.ts'
import { openSqliteStore } from '../../backend-api/store/sqlite/store.ts'

const MAIN = fileURLToPath(new URL('../../backend-api/account/main.ts', import.meta.url))
const PASSWORD = 'a password of a person'

let folder: string
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-account-'))
  env = { PATH: process.env['PATH'], DATABASE_PATH: join(folder, 'desk.sqlite') }
  await writeFile(join(folder, 'password'), `${PASSWORD}\n`)
})
afterEach(() => rm(folder, { recursive: true }))

const account = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', MAIN, ...args], { env })
const fromFile = () => ['--password-file', join(folder, 'password')]

async function look(id: string) {
  const store = await openSqliteStore(env['DATABASE_PATH'] ?? '')
  const [person, hash] = [await store.findPerson(id), await store.identity.findPasswordHash(id)]
  await store.close()
  return { person, hash: hash ?? '' }
}

describe('npm run account', () => {
  it('makes a person, gives the password of a file, and changes the role without being told the name', async () => {
    await account('zoe', ...fromFile(), '--name', 'Zoe Lind', '--role', 'staff')
    const { person, hash } = await look('zoe')
    expect(person).toEqual({ id: 'zoe', name: 'Zoe Lind', role: 'staff' })
    expect(await verifyPassword(PASSWORD, hash)).toBe(true)
    expect(await verifyPassword(`${PASSWORD}.`, hash)).toBe(false)
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/)

    await account('zoe', ...fromFile(), '--role', 'customer')
    expect((await look('zoe')).person).toEqual({ id: 'zoe', name: 'Zoe Lind', role: 'customer' })
  })

  it('reads the password from stdin where no file is named', async () => {
    const args = ['--import', 'tsx', MAIN, 'zoe', '--name', 'Zoe Lind', '--role', 'staff']
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin.end(PASSWORD)
    await new Promise((resolve) => child.once('exit', resolve))
    expect(await verifyPassword(PASSWORD, (await look('zoe')).hash)).toBe(true)
  })

  it('says what is wrong, and leaves nothing behind', async () => {
    await writeFile(join(folder, 'short'), 'short')
    const wrong: [string[], string][] = [
      [['zoe', ...fromFile()], 'give --name and --role'],
      [['zoe', '--password-file', join(folder, 'short'), '--name', 'Zoe', '--role', 'staff'], '12 to 1000'],
      [['zoe', ...fromFile(), '--role', 'boss'], 'There is no role "boss"'],
      [[], 'Usage: npm run account'],
    ]
    for (const [args, words] of wrong) {
      await expect(account(...args)).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(words) as string,
      })
    }
    expect(await look('zoe')).toEqual({ person: undefined, hash: '' })
  })
})
