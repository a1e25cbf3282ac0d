import type { Texts } from './en.ts'

export const texts = {
  logIn: 'パスキーでログイン',
  use: 'パスキーを使う',
  refused: 'このパスキーは受け付けられませんでした。もう一度試すか、別の方法でログインしてください。',
  cancelled: 'パスキーは使われませんでした。操作がキャンセルされたか、時間がかかりすぎました。',
  unsupported: 'このブラウザではパスキーを使えません。',
  noScript: 'パスキーには JavaScript が必要ですが、このブラウザでは無効になっています。',
} satisfies Texts
