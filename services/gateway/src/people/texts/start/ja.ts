import type { Texts } from './en.ts'

export const texts = {
  lead: '1 つのアカウントで各アプリにログインできます。',
  account: 'アカウント',
  accountText: 'プロフィール、パスワード、第 2 要素、アプリを管理します。',
  console: 'コンソール',
  consoleText: '管理者向け: アプリ、ユーザー、アクティビティ。',
  documentation: 'ドキュメント',
  documentationText: 'このサーバーを使うアプリの作成、サーバーの運用と管理の方法。英語です。',
  api: 'API リファレンス',
  apiText: '開発者向け: すべてのエンドポイントを読み、試せます。',
  metadata: 'サーバーのメタデータ',
  metadataText: 'クライアントライブラリ向け: すべてのエンドポイントのアドレス。',
} satisfies Texts
