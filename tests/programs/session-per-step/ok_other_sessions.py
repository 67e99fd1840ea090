"""Sessions that are no TensorFlow sessions."""
import boto3
import requests
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

engine = create_engine("sqlite:///runs.db")
Factory = sessionmaker(engine)


def store(rows):
    for row in rows:
        with Session(engine) as session:
            session.add(row)
            session.commit()
        with Factory() as other:
            other.execute("select 1")


def download(urls):
    for url in urls:
        with requests.Session() as session:
            yield session.get(url).content


def upload(profiles, path):
    for profile in profiles:
        boto3.Session(profile_name=profile).client("s3").upload_file(path, "runs", path)
