/** A prompt: what a person picks from a menu and fills in. */
export interface Prompt {
  /** As it stands in `prompts/list`. */
  readonly wire: {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly arguments: { name: string; description: string; required: boolean }[]
  }
  /** What the arguments must be, for whoever sent others. */
  readonly usage: string
  /** The text, or undefined when the arguments are not what `usage` says. `wireName` gives a tool's full name. */
  render(args: Readonly<Record<string, string>>, wireName: (tool: string) => string): string | undefined
}
