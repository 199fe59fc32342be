// A web server with a certificate of its own that serves a client's metadata document over https.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface HttpsDocument {
  /** The client's id. */
  readonly url: string
  /** For NODE_EXTRA_CA_CERTS of who shall trust it. */
  readonly certificateFile: string
  readonly fetched: () => number
  close(): Promise<void>
}

/** `metadata` without its client_id, which is the document's address. */
export async function serveDocument(metadata: object): Promise<HttpsDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-https-'))
  const key = join(folder, 'key.pem')
  const certificateFile = join(folder, 'certificate.pem')
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', certificateFile, '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  ])
  let fetched = 0
  const server = createServer(
    { key: await readFile(key), cert: await readFile(certificateFile) },
    (_req, res) => {
      fetched += 1
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ ...metadata, client_id: url }))
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/client.json`
  return {
    url,
    certificateFile,
    fetched: () => fetched,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(folder, { recursive: true })
    },
  }
}
