// Names that the operator chose, as label values: the first so many have their own, every other name is `other`.

export interface ListedNames {
  /** Adds names, up to the bound. */
  readonly list: (names: readonly string[]) => void
  readonly labelOf: (name: string) => string
}

/** `onNew` is told of each value that now exists; of `other` at once. */
export function createListedNames(max: number, onNew: (value: string) => void): ListedNames {
  const listed = new Set<string>()
  onNew('other')
  return {
    list(names) {
      for (const name of names) {
        if (listed.has(name) || listed.size === max) continue
        listed.add(name)
        onNew(name)
      }
    },
    labelOf: (name) => (listed.has(name) ? name : 'other'),
  }
}
