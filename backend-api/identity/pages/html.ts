// HTML with everything that is put into it escaped, unless it is HTML of this kind already.

export interface Html {
  readonly html: string
}

type Value = string | Html | readonly Html[] | undefined

/** `undefined` leaves nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.map((part, at) => part + written(values[at])).join('') }
}

function written(value: Value): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
