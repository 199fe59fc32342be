// Run as a process of its own: uses the authorization server in every way that could make it print something.

import { signIn } from './sign-in.ts'
import { GATEWAY, PASSWORD, startIdentity } from './identity.ts'

const identity = await startIdentity()
await signIn({ issuer: identity.issuer, resource: GATEWAY, person: 'alice', password: PASSWORD })
// A browser that errs is shown an error page; a browser's script asks from another origin.
await fetch(`${identity.issuer}/auth?client_id=nobody`, { headers: { accept: 'text/html' } })
await fetch(`${identity.issuer}/token`, { method: 'POST', headers: { origin: 'http://127.0.0.1:3000' } })
await identity.close()
