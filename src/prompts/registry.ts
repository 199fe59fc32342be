import type { Prompt } from './define-prompt.ts'
import { triage } from './triage.ts'

export const prompts: readonly Prompt[] = [triage]
