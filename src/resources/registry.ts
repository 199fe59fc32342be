import type { Resource } from './define-resource.ts'
import { policy } from './policy.ts'

export const resources: readonly Resource[] = [policy]
