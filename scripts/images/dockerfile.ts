// The project's Dockerfile as data: stages and their steps, as far as the project uses the language.

export interface Stage {
  readonly name: string
  /** An image, or the name of an earlier stage. */
  readonly from: string
  readonly steps: readonly Step[]
}

export interface Step {
  readonly instruction: string
  /** What follows it, continued lines joined. */
  readonly text: string
}

export interface Copy {
  /** The stage that is copied from; undefined for the build context. */
  readonly from: string | undefined
  readonly sources: readonly string[]
  /** As written: relative to the working folder, with a slash at the end for a folder. */
  readonly target: string
}

/** Throws on a step before the first FROM that is no ARG, and on a variable in FROM that has no default. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean)
  const variables = new Map<string, string>()
  const stages: { name: string; from: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    const stage = stages.at(-1)
    if (instruction === 'FROM') {
      const [from = '', , name = ''] = rest.split(' ')
      stages.push({
        name,
        from: from.replaceAll(/\$\{(\w+)\}/g, (_all, key: string) => valueOf(key)),
        steps: [],
      })
    } else if (stage) stage.steps.push({ instruction, text: rest })
    else if (instruction === 'ARG') variables.set(...pair(rest))
    else throw new Error(`A step before the first FROM: ${line}`)
  }
  function valueOf(key: string): string {
    const value = variables.get(key)
    if (value === undefined) throw new Error(`The variable ${key} has no default.`)
    return value
  }
  return stages
}

/** The stage, and before it those that it is made from; the first is made from an image. */
export function lineageOf(stages: readonly Stage[], name: string): Stage[] {
  const stage = stages.find((candidate) => candidate.name === name)
  return stage ? [...lineageOf(stages, stage.from), stage] : []
}

export function copyOf({ text }: Step): Copy {
  const words = text.split(/\s+/)
  const flag = words[0]?.startsWith('--from=') ? words.shift() : undefined
  return { from: flag?.slice('--from='.length), sources: words.slice(0, -1), target: words.at(-1) ?? '' }
}

/** Names and values of an ENV or LABEL step; quotes are dropped. */
export function pairsOf({ text }: Step): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, key = '', quoted, bare]) => [
      key,
      quoted ?? bare ?? '',
    ]),
  )
}

function pair(text: string): [string, string] {
  const [key = '', value = ''] = text.split('=')
  return [key, value]
}
