-- The words arrive already segmented by store/words.ts, so the tokenizer only has to split at spaces.
create virtual table search_index using fts5 (words, content = '', tokenize = 'ascii');
