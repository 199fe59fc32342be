// Splits text of any script into the words that search compares. Pure, and the same for every database.
import type { Visibility } from '../../openapi/desk.gen.ts'

/** One searchable text of a ticket: its own, or a comment's. */
export interface Document {
  readonly ticketId: bigint
  readonly visibility: Visibility
  readonly text: string
}

// Written without spaces, or (Korean) with endings glued on: each character is a word, so that any part can be found.
const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]'
const RUN = new RegExp(
  `(?!\\p{M})(?:(?:(?=${UNSPACED})[\\p{L}\\p{M}\\p{N}])+|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+)`,
  'gu',
)
const UNSPACED_RUN = new RegExp(`^${UNSPACED}`, 'u')

// Accents (Latin, Greek, Cyrillic), Hebrew points, Arabic vowel signs and tatweel: readers leave them out.
const OPTIONAL_MARKS = new RegExp(
  '\\u0640|[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u064b-\\u065f\\u0670]',
  'gu',
)
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/gu

/** The runs of a text: a word, or consecutive characters of a script without spaces, which count only together. */
export function wordRuns(text: string): string[][] {
  const folded = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(OPTIONAL_MARKS, '')
    .replace(INVISIBLE, '')
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
  return (folded.match(RUN) ?? []).map((run) => (UNSPACED_RUN.test(run) ? Array.from(run) : [run]))
}

/** What a query asks for, each once: words, and consecutive characters of a script without spaces with spaces between. */
export function wordsOfQuery(query: string): string[] {
  return [...new Set(wordRuns(query).map((run) => run.join(' ')))]
}

/** A text as a database's plainest word index takes it: words with spaces between. */
export function searchableWords(text: string): string {
  return wordRuns(text).flat().join(' ')
}
