import { html, type Html } from './html.ts'

/** A whole page: one column, one stylesheet, no script. */
export function layout(issuer: string, title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Ticket desk</title>
        <link rel="stylesheet" href="${issuer}/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <main>
          <p class="desk">Ticket desk</p>
          ${body}
        </main>
      </body>
    </html>`
}
