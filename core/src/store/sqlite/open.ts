import sqlite3 from 'sqlite3';

export function openDatabase(file: string, mode: number): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const database = new sqlite3.Database(file, mode, (error) => {
      if (error) reject(new Error(`cannot open ${file}: ${error.message}`, { cause: error }));
      else resolve(database);
    });
  });
}

export function closeDatabase(database: sqlite3.Database): Promise<void> {
  return new Promise((resolve, reject) => {
    database.close((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
