// Preload: every OpenTelemetry module that the process imports is named on stderr, before it is loaded.
import { register } from 'node:module'

const hooks = `
  import { writeSync } from 'node:fs'
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context)
    if (resolved.url.includes('/@opentelemetry/')) writeSync(2, 'IMPORTS ' + specifier + '\\n')
    return resolved
  }`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
