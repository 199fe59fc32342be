import { expect, test } from 'vitest'
import { searchableWords, wordRuns, wordsOfQuery } from '../../backend-api/store/words.ts'

test.each([
  ['case and accents', 'Ärger im Café', 'arger im cafe'],
  ['full-width forms', 'ＶＰＮ', 'vpn'],
  ['operators and punctuation', 'C++ foo-bar "AND" subject:x * ^', 'c foo bar and subject x'],
  ['Greek with a final sigma', 'Ο Εκτυπωτής', 'ο εκτυπωτησ'],
  ['Cyrillic', 'Ещё Один', 'еще один'],
  ['Turkish capitals', 'İSTANBUL', 'istanbul'],
  ['Arabic with vowel signs and tatweel', 'طَابِعَـــة', 'طابعة'],
  ['Hindi keeps its vowel signs', 'प्रिंटर ख़राब', 'प्रिंटर ख़राब'.normalize('NFKC')],
  ['Chinese', '打印机坏了', '打 印 机 坏 了'],
  ['Japanese beside Latin', '東京のVPN接続', '東 京 の vpn 接 続'],
  ['invisible characters inside a word', 'prin\u200dter\u00ad', 'printer'],
])('words of a text: %s', (_case, text, words) => {
  expect(searchableWords(text)).toBe(words)
})

test.each(['', '   ', '* + - " ( )', '🖨️🔥', '\u200b'])('a text without a word has no words: %j', (text) => {
  expect(wordRuns(text)).toEqual([])
})

test('consecutive characters of a script without spaces stay one run, so that a query is a phrase', () => {
  expect(wordRuns('東京 タワー')).toEqual([
    ['東', '京'],
    ['タ', 'ワ', 'ー'],
  ])
})

test('a query asks for each word once, and for consecutive characters together', () => {
  expect(wordsOfQuery('VPN 東京 vpn 東 “VPN”')).toEqual(['vpn', '東 京', '東'])
})
