from typing import List, Optional

from pydantic import BaseModel, Field


class Document(BaseModel):
    id: str
    embedding: List[float]


class RerankRequest(BaseModel):
    query: List[float]
    documents: List[Document]
    temperature: float = Field(1.0, gt=0)
    top_k: Optional[int] = None


class SimilarRequest(BaseModel):
    ids: List[str]


class Ranked(BaseModel):
    id: str
    score: float
