// From variables to findings: the configuration first, and with a sound one everything that it names.

import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { createClientPolicy } from '../../src/client-policy.ts'
import { ConfigError, readConfig, type Config } from '../../src/config.ts'
import { createCatalogue, NameRuleError, type Catalogue } from '../../src/tools/catalogue.ts'
import { lockCatalogue, type CatalogueLock } from '../../src/tools/catalogue-lock.ts'
import { registry } from '../../src/tools/registry.ts'
import { createContext } from './context.ts'
import type { ExaminedEnvironment } from './environment.ts'
import { examine } from './examine.ts'
import { ok, wrong, type Reported } from './finding.ts'

interface Contract {
  readonly info: { readonly version: string }
}

/** `now`: milliseconds since the epoch. */
export async function diagnose(examined: ExaminedEnvironment, now: () => number): Promise<Reported[]> {
  const contract = parse(await read('openapi/desk.yaml')) as Contract
  const sound = readSoundly(examined.variables, contract)
  if ('faults' in sound)
    return sound.faults.map((fault) => ({
      check: 'configuration',
      finding: wrong(fault, `Correct it in ${examined.from}; the README has what each variable means.`),
    }))
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  const context = createContext(sound.config, {
    personToken: examined.personToken,
    contractVersion: contract.info.version,
    locked: JSON.parse(await read('catalog.lock.json')) as CatalogueLock,
    served: lockCatalogue(sound.catalogue, version),
    now,
  })
  const configuration = { check: 'configuration', finding: ok(`of ${examined.from}, without a fault`) }
  return [configuration, ...(await examine(context))]
}

/** As the gateway does before it starts. */
function readSoundly(
  variables: ExaminedEnvironment['variables'],
  contract: Contract,
): { config: Config; catalogue: Catalogue } | { faults: string[] } {
  try {
    const config = readConfig(variables)
    const catalogue = createCatalogue({ namespace: config.namespace, contract, tools: registry })
    createClientPolicy(
      config.clientPolicyFile,
      registry.map(({ name }) => name),
      () => undefined,
    )
    return { config, catalogue }
  } catch (error) {
    if (error instanceof NameRuleError) return { faults: [`NAMESPACE: ${error.message}`] }
    if (!(error instanceof ConfigError)) throw error
    return { faults: error.message.split('\n').map((line) => line.trim()) }
  }
}

function read(name: string): Promise<string> {
  return readFile(new URL(`../../${name}`, import.meta.url), 'utf8')
}
